import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/corrections.ts'), de: () => import('./de/corrections.ts') })
