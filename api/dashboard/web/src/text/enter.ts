import { inLanguage } from '../core/text.ts'

const words = await inLanguage({ en: () => import('./en/enter.ts'), de: () => import('./de/enter.ts') })

export const enterWords = words.enter
