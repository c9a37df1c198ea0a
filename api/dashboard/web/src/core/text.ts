// The texts of the page, in its language. Only the texts of that language are loaded.
type Language = 'en' | 'de'

const page = document.documentElement.lang
// pseudo reports whether the page uses the made-up language of the tests: lengthened English, from right to left.
const pseudo = page === 'ar-XB'

export const languages: Record<Language, string> = { en: 'English', de: 'Deutsch' }
// language is the language of words, numbers and dates.
export const language: Language = page in languages ? (page as Language) : 'en'

export async function inLanguage<T>(files: Record<Language, () => Promise<{ words: T }>>): Promise<T> {
  const { words } = await files[language]()
  return pseudo ? (await import('../text/pseudo.ts')).pseudoOf(words) : words
}

export const t = await inLanguage({ en: () => import('../text/en.ts'), de: () => import('../text/de.ts') })
