import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/config.ts'), de: () => import('./de/config.ts') })
