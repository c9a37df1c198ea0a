import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/postbacks.ts'), de: () => import('./de/postbacks.ts') })
