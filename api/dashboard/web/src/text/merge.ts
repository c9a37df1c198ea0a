import { inLanguage } from '../core/text.ts'

// w has the texts for edits that two people made at once.
export const w = await inLanguage({ en: () => import('./en/merge.ts'), de: () => import('./de/merge.ts') })
