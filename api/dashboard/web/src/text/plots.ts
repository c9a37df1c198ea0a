import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/plots.ts'), de: () => import('./de/plots.ts') })
