import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/smartlinks.ts'), de: () => import('./de/smartlinks.ts') })
