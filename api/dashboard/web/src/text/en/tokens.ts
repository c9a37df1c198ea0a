// The meaning of each token, in languages other than English. The English texts come from the service.
import { named } from '../words.ts'

export const words = { meaning: named<string, string>({}) }
