/** How many announcements are active at most: each list of notices begins with all of them. */
export const mostActive = 20

export const hasRoomForAnnouncement = ({ active, most }: { active: number; most: number }): boolean => active < most
