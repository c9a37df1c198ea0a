import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/tokens.ts'), de: () => import('./de/tokens.ts') })
