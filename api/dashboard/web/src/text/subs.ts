import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/subs.ts'), de: () => import('./de/subs.ts') })
