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
import { historyTexts } from '../../texts/history.tsx'

const texts = historyTexts.activityLooks

/** Icon and words of each kind of activity. */
export const activityLooks: Record<Activity['kind'], { icon: LucideIcon; words: string }> = {
  account_created: { icon: UserPlus, words: texts.accountCreated },
  email_verified: { icon: MailCheck, words: texts.emailVerified },
  signed_in: { icon: LogIn, words: texts.signedIn },
  signed_out: { icon: LogOut, words: texts.signedOut },
  wallet_proved: { icon: Wallet, words: texts.walletProved },
  wallet_unlinked: { icon: Unlink, words: texts.walletUnlinked },
  identity_linked: { icon: Link, words: texts.signInLinked },
  identity_unlinked: { icon: Unlink, words: texts.signInUnlinked },
  password_changed: { icon: KeyRound, words: texts.passwordChanged },
  name_changed: { icon: UserPen, words: texts.nameChanged },
  email_changed: { icon: Mail, words: texts.emailChanged },
  session_ended: { icon: MonitorX, words: texts.sessionEnded },
  plan_paid: { icon: Coins, words: texts.planPaid },
  payment_reverted: { icon: Undo2, words: texts.paymentReverted },
  payment_restored: { icon: RotateCcw, words: texts.paymentRestored },
  subscription_cancelled: { icon: Ban, words: texts.subscriptionCancelled },
  subscription_extended: { icon: CalendarPlus, words: texts.subscriptionExtended },
  subscription_ended: { icon: CalendarCheck, words: texts.planEnded },
  settings_changed: { icon: Settings2, words: texts.settingsChanged },
  alert_verified: { icon: ShieldCheck, words: texts.alertVerified },
  alerts_exported: { icon: Download, words: texts.alertsExported },
}

/** What people look for in a history. */
export const groupWords: Record<ActivityGroup, string> = {
  payments: texts.payments,
  subscriptions: texts.subscriptions,
  'sign-ins': texts.signIns,
  alerts: texts.alerts,
  settings: texts.settings,
}
