use narrows::ni::memory_bus::Kind; use narrows::program::memory_bus::*; use narrows::engine::*; use narrows::host::memory_bus::Kind as K;
fn main(){ let a:Vec<String>=std::env::args().collect(); let kind=match a[1].as_str(){"t"=>Kind::Cni32qmThrottle,"c"=>Kind::Cni32qm,"m"=>Kind::MemoryChannel,"j"=>Kind::StartJr,_=>Kind::Ap3000}; let b:usize=a[2].parse().unwrap();
 for n in [10u64,50,100,200,400]{ let mut p=PairParameters::paper(kind); p.messaging.ledgers=a.len()>3;
 let pair=Pair::new(&p,Recorder::off()).unwrap(); let c=Counts{warm_up:n,measured:100}; let m=bandwidth(&pair,b,c,Limits::default());
 let t=m.time.as_us(); println!("warm {n}: {:.1} MB/s",b as f64*100./t);
 for e in 0..2 { let c=pair.ends[e].node().bus.counts(); print!("  bus{e}:"); for k in K::ALL {print!(" {}={}",k.name(),c[k as usize]);} println!(" period {}", pair.ends[e].interface().port.service_period.get()); }
 if a.len()>3 && n==100 { let l=&m.ledgers[50]; for s in l.stages(){println!("   {:26} wait {} serv {}",s.name,s.waiting,s.service);} println!("{}",l.total()); }
 }}
