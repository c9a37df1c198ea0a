import { inLanguage } from '../core/text.ts'

export const recordWords = (await inLanguage({ en: () => import('./en/records.ts'), de: () => import('./de/records.ts') })).records
