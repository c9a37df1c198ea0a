import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/ab.ts'), de: () => import('./de/ab.ts') })
