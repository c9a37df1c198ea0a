// What to do about alerts, by their type. The service's own texts are in English.
export const words: Record<string, string> = {}
