import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/bulk.ts'), de: () => import('./de/bulk.ts') })
