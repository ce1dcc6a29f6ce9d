import type { Activity, ActivityGroup } from '@tocsin/protocol'
import {
  Ban,
  CalendarCheck,
  CalendarPlus,
  Coins,
  Download,
  KeyRound,
  Link,
  LogIn,
  LogOut,
  type LucideIcon,
  Mail,
  MailCheck,
  MonitorX,
  RotateCcw,
  Settings2,
  ShieldCheck,
  Undo2,
  Unlink,
  UserPen,
  UserPlus,
  Wallet,
} from 'lucide-react'

/** Icon and label of each kind of activity. */
export const activityLooks: Record<Activity['kind'], { icon: LucideIcon; label: string }> = {
  account_created: { icon: UserPlus, label: 'Account created' },
  email_verified: { icon: MailCheck, label: 'Email verified' },
  signed_in: { icon: LogIn, label: 'Signed in' },
  signed_out: { icon: LogOut, label: 'Signed out' },
  wallet_proved: { icon: Wallet, label: 'Wallet proved' },
  wallet_unlinked: { icon: Unlink, label: 'Wallet unlinked' },
  identity_linked: { icon: Link, label: 'Sign-in linked' },
  identity_unlinked: { icon: Unlink, label: 'Sign-in unlinked' },
  password_changed: { icon: KeyRound, label: 'Password changed' },
  name_changed: { icon: UserPen, label: 'Name changed' },
  email_changed: { icon: Mail, label: 'Email changed' },
  session_ended: { icon: MonitorX, label: 'Session ended' },
  plan_paid: { icon: Coins, label: 'Plan paid' },
  payment_reverted: { icon: Undo2, label: 'Payment reverted' },
  payment_restored: { icon: RotateCcw, label: 'Payment restored' },
  subscription_cancelled: { icon: Ban, label: 'Subscription cancelled' },
  subscription_extended: { icon: CalendarPlus, label: 'Subscription extended' },
  subscription_ended: { icon: CalendarCheck, label: 'Plan ended' },
  settings_changed: { icon: Settings2, label: 'Settings changed' },
  alert_verified: { icon: ShieldCheck, label: 'Alert verified' },
  alerts_exported: { icon: Download, label: 'Alerts exported' },
}

/** Labels of the activity filters. */
export const groupLabels: Record<ActivityGroup, string> = {
  payments: 'Payments',
  subscriptions: 'Subscriptions',
  'sign-ins': 'Sign-ins',
  alerts: 'Alerts',
  settings: 'Settings',
}
