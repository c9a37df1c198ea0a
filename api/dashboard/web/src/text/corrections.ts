import { inLanguage } from '../core/text.ts'

const words = await inLanguage({ en: () => import('./en/corrections.ts'), de: () => import('./de/corrections.ts') })

export const correctionWords = words.corrections
