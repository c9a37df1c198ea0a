import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/blocks.ts'), de: () => import('./de/blocks.ts') })
