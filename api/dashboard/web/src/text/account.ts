import { inLanguage } from '../core/text.ts'

const words = await inLanguage({ en: () => import('./en/account.ts'), de: () => import('./de/account.ts') })

export const planWords = words.plan
export const settingsWords = words.settings
