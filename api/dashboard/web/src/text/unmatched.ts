import { inLanguage } from '../core/text.ts'

export const unmatchedWords = await inLanguage({ en: () => import('./en/unmatched.ts'), de: () => import('./de/unmatched.ts') })
