// Reports what a person's role allows.
import { can } from './me.ts'

export const canWrite = () => can('contributor')
export const canCreateCampaigns = () => can('member')
