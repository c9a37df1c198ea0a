import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/marks.ts'), de: () => import('./de/marks.ts') })
