// refusers returns the names of the records in an error message. The service writes each name in quotes before a colon.
export const refusers = (message: string): string[] =>
  [...message.matchAll(/"(?:[^"\\]|\\.)*"(?=: )/g)].map(m => {
    try {
      return JSON.parse(m[0]) as string
    } catch {
      return m[0].slice(1, -1)
    }
  })
