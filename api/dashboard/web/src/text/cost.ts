import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/cost.ts'), de: () => import('./de/cost.ts') })
