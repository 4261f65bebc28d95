import type { Gender, Preferences } from '../features/profile/store.ts'
import type { City, Language } from './cities.ts'
import type { Random } from './random.ts'
import { en } from './words/en.ts'
import { ru } from './words/ru.ts'
import type { Words } from './words/words.ts'

/** What somebody says of themselves. */
export type Persona = { name: string; gender: Gender | null; bio: string | null; preferences: Preferences }

/** What somebody writes in who has chosen that language. */
export const wordsOf = (language: string | null): Words => (language === 'ru' ? ru : en)

const words = (text: string) => text.split(' ')

type Names = { female: string[]; male: string[]; initials: string }

const latin = 'ABCDEFGHIJKLMNOPRSTVW'

// Common given names. A surname's initial tells people of one name apart, where that is a custom.
const names: Record<Language, Names> = {
  de: {
    female: words(
      'Anna Lena Laura Julia Lea Hannah Marie Sophie Katharina Johanna Charlotte Emilia Franziska Nele Greta Jana',
    ),
    male: words(
      'Lukas Jonas Felix Paul Maximilian Leon Jakob Moritz Tobias Florian Niklas Sebastian Jan Philipp Anton Emil',
    ),
    initials: latin,
  },
  tr: {
    female: words('Ayşe Zeynep Elif Defne Ece Selin Merve Büşra Esra Derya Gizem İrem Nehir Ceren Tuğba Yağmur'),
    male: words('Mehmet Mustafa Emre Burak Can Deniz Kerem Onur Ozan Serkan Tolga Umut Yusuf Barış Çağlar Hakan'),
    initials: latin,
  },
  pt: {
    female: words(
      'Maria Ana Beatriz Juliana Mariana Larissa Camila Fernanda Gabriela Luiza Isabela Letícia Carolina Inês Catarina Helena',
    ),
    male: words(
      'João Pedro Lucas Gabriel Rafael Thiago Bruno Felipe Gustavo Matheus Diogo Tiago Rodrigo Caio Vinícius André',
    ),
    initials: latin,
  },
  ja: {
    female: words('陽菜 結衣 美咲 さくら 葵 七海 優花 彩 真央 楓 遥 美月 千尋 沙織 恵 直美'),
    male: words('蓮 大翔 悠真 翔太 健太 拓也 直樹 海斗 颯太 亮 誠 和也 大輔 陸 隼人 純'),
    initials: '',
  },
  es: {
    female: words(
      'Lucía Sofía Martina Valentina Camila Daniela Paula Carmen Elena Irene Marta Alejandra Ximena Renata Julieta Noelia',
    ),
    male: words(
      'Mateo Santiago Diego Alejandro Daniel Pablo Hugo Javier Sergio Nicolás Tomás Joaquín Emiliano Andrés Iván Rubén',
    ),
    initials: latin,
  },
  ru: {
    female: words(
      'Анна Мария Екатерина Дарья Анастасия Полина Ольга Наталья Юлия Ксения Вера Алина Татьяна Елена Ирина Софья',
    ),
    male: words(
      'Александр Дмитрий Максим Иван Артём Михаил Никита Егор Андрей Илья Алексей Павел Роман Кирилл Тимур Сергей',
    ),
    initials: 'АБВГДЗИКЛМНОПРСТФШ',
  },
  ko: {
    female: words('지우 서연 민서 하은 지민 수빈 예은 채원 다은 유진 은지 혜진 소연 나영 가은 미경'),
    male: words('민준 서준 도윤 예준 지호 현우 준영 성민 동현 태현 재윤 우진 승현 정우 민수 영호'),
    initials: '',
  },
  hi: {
    female: words(
      'प्रिया अनन्या दीया काव्या नेहा पूजा रिया मीरा Ishita Shreya Aditi Sneha Lakshmi Divya Tanvi Nandini',
    ),
    male: words('आरव विवान अर्जुन रोहन करण राहुल अमित निखिल Siddharth Vikram Aditya Karthik Ravi Manish Sanjay Varun'),
    initials: '',
  },
  en: {
    female: words(
      'Olivia Amelia Grace Chloe Emily Jessica Hannah Megan Zoe Charlotte Ruby Nora Imogen Keisha Aaliyah Brooke',
    ),
    male: words('Oliver Jack Harry Noah James Ethan Liam Mason Callum Dylan Owen Marcus Tyler Jamal Connor Theo'),
    initials: latin,
  },
  zh: {
    female: words('欣怡 雨涵 梓萱 佳琪 思雨 雅婷 静怡 诗涵 晓燕 美玲 婷婷 丽娜 慧敏 淑芬 雪梅 嘉欣'),
    male: words('子轩 浩然 宇航 俊杰 伟 明 志强 建国 家豪 文博 天宇 鹏飞 晓东 立群 思远 冠宇'),
    initials: '',
  },
  ar: {
    female: words('فاطمة مريم نور سارة ليلى هدى ياسمين رنا دينا سلمى أمل ريم Leila Salma Yasmine Rania'),
    male: words('محمد أحمد علي عمر يوسف خالد كريم حسن طارق سامي زياد ماجد Karim Youssef Omar Tariq'),
    initials: '',
  },
  id: {
    female: words('Siti Dewi Putri Ayu Rina Sari Indah Lestari Wulan Ratna Nurul Fitri Maya Intan Citra Kartika'),
    male: words('Budi Agus Dimas Rizky Andi Bayu Eko Fajar Hendra Joko Arif Yoga Wahyu Galih Reza Surya'),
    initials: latin,
  },
  yo: {
    female: words(
      'Adunni Folake Yetunde Ngozi Chioma Amaka Aisha Halima Temitope Ifeoma Bisi Zainab Funmi Ada Kemi Simisola',
    ),
    male: words(
      'Olumide Chinedu Emeka Tunde Segun Ibrahim Musa Kunle Obinna Femi Babajide Uche Dayo Kelechi Sani Wale',
    ),
    initials: latin,
  },
  fr: {
    female: words('Camille Léa Manon Chloé Inès Juliette Clara Zoé Margaux Élise Aïcha Fatou Awa Noémie Amélie Océane'),
    male: words(
      'Hugo Louis Gabriel Arthur Jules Théo Antoine Mathis Baptiste Clément Mamadou Ousmane Rémi Maxime Adrien Étienne',
    ),
    initials: latin,
  },
  pl: {
    female: words(
      'Zofia Julia Maja Hanna Zuzanna Oliwia Aleksandra Natalia Wiktoria Katarzyna Agnieszka Małgorzata Ewa Iga Łucja Dorota',
    ),
    male: words(
      'Jakub Szymon Filip Wojciech Michał Paweł Piotr Tomasz Krzysztof Bartosz Łukasz Marcin Kacper Mateusz Grzegorz Stanisław',
    ),
    initials: latin,
  },
  it: {
    female: words(
      'Giulia Chiara Francesca Sara Martina Alessia Elisa Federica Ginevra Aurora Beatrice Ilaria Silvia Serena Arianna Noemi',
    ),
    male: words(
      'Lorenzo Alessandro Matteo Leonardo Davide Luca Marco Andrea Simone Tommaso Giacomo Edoardo Riccardo Stefano Fabio Nicolò',
    ),
    initials: latin,
  },
}

export const drinks = words('tea coffee beer wine juice cocktails water lemonade mate kombucha cider cocoa')
export const activities = words(
  'hiking running cycling climbing swimming yoga dancing chess football tennis volleyball photography painting cooking cinema theatre concerts museums languages gardening reading gaming sailing birdwatching',
)
const purposes = [
  'friends',
  'conversation',
  'language exchange',
  'sport together',
  'dating',
  'networking',
  'new in town',
  'events',
]

/** Up to `most` of the list, without repeats. The head of a list is chosen more often than its tail. */
function some(random: Random, list: readonly string[], most: number): string[] {
  const chosen = new Set<string>()
  for (let count = random.below(most + 1); count > 0; count--) {
    const one = list[Math.floor(random.unit() * random.unit() * list.length)]
    if (one !== undefined) chosen.add(one)
  }
  return [...chosen]
}

function genderOf(random: Random): Gender | null {
  const draw = random.unit()
  if (draw < 0.46) return 'female'
  if (draw < 0.92) return 'male'
  return draw < 0.96 ? 'other' : null
}

function nameOf(random: Random, language: Language, gender: Gender | null): string {
  const { female, male, initials } = names[language]
  const given = random.pick(gender === 'female' || (gender !== 'male' && random.chance(0.5)) ? female : male)
  return initials === '' || random.chance(0.3) ? given : `${given} ${random.pick(initials.split(''))}.`
}

/** What somebody says of themselves: who they are, and something of what they like. */
function bioOf(random: Random, city: string, gender: Gender | null, preferences: Preferences): string | null {
  if (random.chance(0.08)) return null
  const words = wordsOf(preferences.language)
  const sentences: string[] = []
  if (random.chance(0.85)) sentences.push(random.pick(words.about))
  const activity = words.activities[preferences.activities[0] ?? '']
  if (activity && random.chance(0.75)) sentences.push(random.pick(activity))
  const drink = words.drinks[preferences.drinks[0] ?? '']
  if (drink && random.chance(0.4)) sentences.push(drink)
  if (sentences.length === 0) return null
  return sentences
    .join(' ')
    .replaceAll('{city}', () => city)
    .replaceAll(/\{([^|}]*)\|([^}]*)\}/g, (_, his: string, hers: string) => (gender === 'female' ? hers : his))
}

/** Where some of the people speak Russian. Elsewhere everybody writes English, or Russian in Russia. */
const abroad = new Set<Language>(['de', 'en', 'es', 'fr', 'it', 'pl', 'pt', 'tr'])

/** Makes up somebody who lives in a city. */
export function personaOf(random: Random, city: City): Persona {
  const gender = genderOf(random)
  const origin = abroad.has(city.language) && random.chance(0.15) ? 'ru' : city.language
  const preferences: Preferences = {
    drinks: some(random, drinks, 3),
    activities: some(random, activities, 4),
    purposes: some(random, purposes, 2),
    language: random.chance(0.8) ? origin : 'en',
  }
  return {
    name: nameOf(random, origin, gender),
    gender,
    bio: bioOf(random, city.name, gender, preferences),
    preferences,
  }
}
