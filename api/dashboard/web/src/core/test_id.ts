// isTest reports whether a conversion has the id of a test.
export const isTest = (conversionID: string) => /^test/i.test(conversionID)
