// What the service says about postbacks is in English.
export const words = { of: (said: string): string => said }
