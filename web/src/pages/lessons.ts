/** Five pages of one minute each. Plain words first; the symbol comes once, beside its meaning. */

export interface Lesson {
  name: string;
  title: string;
  paragraphs: string[];
}

export const LESSONS: readonly Lesson[] = [
  {
    name: "why",
    title: "Why is leaving out the names not enough?",
    paragraphs: [
      "A table without names still has ages, places and illnesses. A few of them together often fit one person only, and somebody who knows those few finds the rest of the line.",
      "Totals are no safer. If 412 patients were ill yesterday and 413 today, and you know who came in today, you know that they are ill. A model is a pile of totals.",
      "So Privet releases no line and no exact total. Whatever leaves the table has noise on it: random, just large enough that one person more or less makes no clear difference.",
    ],
  },
  {
    name: "budget",
    title: "What is a privacy budget?",
    paragraphs: [
      "Each noisy answer tells a little about everyone. Many little answers add up. So the people in a table get one budget for all that is ever asked about them, and each release takes its share.",
      "The share is called epsilon (ε). A small epsilon means a lot of noise: little is revealed about any one person. A large epsilon means little noise: sharper answers, and more is revealed about each person.",
      "When the budget is spent, Privet refuses. That is the point: nobody can get round it by asking often, in two windows, or in somebody else’s name.",
    ],
  },
  {
    name: "odds",
    title: "What can an attacker still learn?",
    paragraphs: [
      "Think of the strongest attacker there could be. They know every person in the table but one, and all that was released. They ask: was this one person in it?",
      "Before any release they can only toss a coin: right 50 times out of 100. The dots on every page show how often they can be right at most, with everything released so far and with the run you are looking at.",
      "No clever method gets past that number, now or later, whatever else is published. It is proved, not hoped; and Privet attacks itself to see that the code keeps the proof.",
    ],
  },
  {
    name: "public",
    title: "Why must I say what is public?",
    paragraphs: [
      "How much noise hides a person depends on how much one person can change. An age can change a sum by 120 at most, if everybody knows that ages lie between 0 and 120.",
      "If Privet took the oldest age from the table instead, the oldest person would be in the answer: an exact fact about one person. So bounds and categories come from common knowledge, and you confirm each one.",
      "It is also what practice uses. From what is public, Privet makes up people who do not exist, and rehearses on them as often as you like.",
    ],
  },
  {
    name: "not",
    title: "What does the guarantee not say?",
    paragraphs: [
      "It does not hide what is true of everybody. If smoking makes people ill, a study may show it, and then something is known about you if you smoke, whether you took part or not.",
      "It protects one unit, usually one person with one record. If somebody has ten records and the table does not say whose they are, they are protected ten times less.",
      "And it covers what leaves through Privet. Whoever holds the table itself can still read it: keep it as safe as before.",
    ],
  },
];
