import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/steps.ts'), de: () => import('./de/steps.ts') })
