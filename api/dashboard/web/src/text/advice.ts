import { inLanguage } from '../core/text.ts'

export const advice = await inLanguage({ en: () => import('./en/advice.ts'), de: () => import('./de/advice.ts') })
