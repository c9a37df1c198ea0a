import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/find.ts'), de: () => import('./de/find.ts') })
