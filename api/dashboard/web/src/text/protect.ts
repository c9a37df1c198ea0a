import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/protect.ts'), de: () => import('./de/protect.ts') })
