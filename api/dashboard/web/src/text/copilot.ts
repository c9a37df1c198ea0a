import { inLanguage } from '../core/text.ts'

export const w = await inLanguage({ en: () => import('./en/copilot.ts'), de: () => import('./de/copilot.ts') })
