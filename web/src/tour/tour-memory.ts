/** The stored state of the tour. */
export interface TourMemory {
  readonly step: number;
  /** Whether it was ever started: it is then not offered again. */
  readonly isSeen: boolean;
}

/** Parses the stored state; anything invalid is ignored. */
export function parseMemory(text: string | null): TourMemory {
  try {
    const value = JSON.parse(text ?? '{}') as { step?: unknown; isSeen?: unknown } | null;
    const { step, isSeen } = value ?? {};
    return {
      step: typeof step === 'number' && Number.isInteger(step) && step >= 0 ? step : 0,
      isSeen: isSeen === true,
    };
  } catch {
    return { step: 0, isSeen: false };
  }
}
