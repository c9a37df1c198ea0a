import { inLanguage } from '../core/text.ts'

// w has the texts of edits that meet the edits of somebody else.
export const w = await inLanguage({ en: () => import('./en/merge.ts'), de: () => import('./de/merge.ts') })
