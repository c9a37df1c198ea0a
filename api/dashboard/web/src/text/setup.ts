import { inLanguage } from '../core/text.ts'

export const setupWords = await inLanguage({ en: () => import('./en/setup.ts'), de: () => import('./de/setup.ts') })
