/** How many templates a community has at most, in all languages together: their list has no pages. */
export const mostTemplates = 500

export const hasRoomForTemplate = ({ there, most }: { there: number; most: number }): boolean => there < most
