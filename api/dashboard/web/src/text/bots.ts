import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/bots.ts'), de: () => import('./de/bots.ts') })
