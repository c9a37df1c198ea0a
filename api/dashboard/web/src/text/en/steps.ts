// What the tests of links and postbacks say at each step. The service's own sentences are in English.
export const words = { of: (text: string) => text }
