// refusers returns the names of the records that a refusal names. The service writes each as a quoted text before a colon.
export const refusers = (message: string): string[] =>
  [...message.matchAll(/"(?:[^"\\]|\\.)*"(?=: )/g)].map(m => {
    try {
      return JSON.parse(m[0]) as string
    } catch {
      return m[0].slice(1, -1)
    }
  })
