// Reports what a person's role allows. The screens hide actions that the service would refuse.
import { can } from './me.ts'

export const canWrite = () => can('contributor')
export const canCreateCampaigns = () => can('member')
