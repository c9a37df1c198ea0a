// A language that nobody speaks, made of English: longer, accented, from right to left. It shows what is not translated, too
// narrow, or on the wrong side.
const plain = 'aceilnorsuyACEILNORSUY',
  accented = 'áçéîłñöřšüýÁÇÉÎŁÑÖŘŠÜÝ'

// long accents a text and makes it a third longer. What stands in braces is a token, and stays.
const long = (text: string) => {
  const said = text.replace(/\{[^}]*\}|[a-z]/gi, c => (c.length > 1 ? c : plain.includes(c) ? accented[plain.indexOf(c)]! : c))
  return /\p{L}/u.test(text)
    ? said +
        '·'
          .repeat(Math.ceil(text.length / 3))
          .replace(/(.{6})/g, '$1 ')
          .trimEnd()
    : text
}
// turned lets a text run right to left, letter by letter.
const turned = (text: string) => (/\p{L}/u.test(text) ? `\u202e${text}\u202c` : text)

// made is a tree of texts in the made-up language.
export function made<T>(of: T): T {
  const say = (text: string) => turned(long(text))
  const walk = (v: unknown): unknown => {
    if (typeof v === 'string') return say(v)
    if (typeof v === 'function') return (...args: unknown[]) => walk((v as (...a: unknown[]) => unknown)(...args))
    if (Array.isArray(v)) return v.map(walk)
    return v && typeof v === 'object' ? Object.fromEntries(Object.entries(v).map(([name, one]) => [name, walk(one)])) : v
  }
  return walk(of) as T
}
