import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/check.ts'), de: () => import('./de/check.ts') })
