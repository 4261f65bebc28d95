/** How many templates a community has at most, of all languages together. */
export const mostTemplates = 500

export const hasRoomForTemplate = ({ there, most }: { there: number; most: number }): boolean => there < most
