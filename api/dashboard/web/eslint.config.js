import parser from '@typescript-eslint/parser'
import hooks from 'eslint-plugin-react-hooks'
import { circleRule, floorRule } from './eslint/imports.js'

export default [
  {
    files: ['src/**/*.ts', 'src/**/*.tsx'],
    ignores: ['src/**/*.gen.ts'],
    languageOptions: { parser, parserOptions: { ecmaFeatures: { jsx: true } } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { 'react-hooks': hooks, imports: { rules: { floor: floorRule, circle: circleRule } } },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      'max-lines-per-function': ['error', { max: 150, skipBlankLines: true, skipComments: true }],
      'imports/floor': 'error',
      'imports/circle': 'error',
    },
  },
]
