import { inLanguage } from '../core/text.ts'

export const reportWords = await inLanguage({ en: () => import('./en/reports.ts'), de: () => import('./de/reports.ts') })
