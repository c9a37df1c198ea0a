import { inLanguage } from '../core/text.ts'

const words = await inLanguage({ en: () => import('./en/flow.ts'), de: () => import('./de/flow.ts') })

export const flowWords = words.flow
export const simulateWords = words.simulate
