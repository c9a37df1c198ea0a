import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/views.ts'), de: () => import('./de/views.ts') })
