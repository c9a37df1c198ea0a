import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/import.ts'), de: () => import('./de/import.ts') })
