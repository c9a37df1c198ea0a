import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/goals.ts'), de: () => import('./de/goals.ts') })
