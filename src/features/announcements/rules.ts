/** How many announcements are active at most. */
export const mostActive = 20

export const hasRoomForAnnouncement = ({ active, most }: { active: number; most: number }): boolean => active < most
