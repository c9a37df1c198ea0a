// Makes a language for the browser tests out of English: longer, accented, and from right to left. The tests find texts that are not
// translated, do not fit, or are on the wrong side.
const plain = 'aceilnorsuyACEILNORSUY',
  accented = 'áçéîłñöřšüýÁÇÉÎŁÑÖŘŠÜÝ'

// lengthened accents a text and makes it a third longer. Tokens, which are in braces, do not change.
const lengthened = (text: string) => {
  const accentedText = text.replace(/\{[^}]*\}|[a-z]/gi, c => (c.length > 1 ? c : plain.includes(c) ? accented[plain.indexOf(c)]! : c))
  return /\p{L}/u.test(text)
    ? accentedText +
        '·'
          .repeat(Math.ceil(text.length / 3))
          .replace(/(.{6})/g, '$1 ')
          .trimEnd()
    : text
}
// rightToLeft lets the letters of a text run from right to left.
const rightToLeft = (text: string) => (/\p{L}/u.test(text) ? `\u202e${text}\u202c` : text)

// pseudoOf returns a tree of texts in this language.
export function pseudoOf<T>(texts: T): T {
  const walk = (v: unknown): unknown => {
    if (typeof v === 'string') return rightToLeft(lengthened(v))
    if (typeof v === 'function') return (...args: unknown[]) => walk((v as (...a: unknown[]) => unknown)(...args))
    if (Array.isArray(v)) return v.map(walk)
    return v && typeof v === 'object' ? Object.fromEntries(Object.entries(v).map(([name, value]) => [name, walk(value)])) : v
  }
  return walk(texts) as T
}
